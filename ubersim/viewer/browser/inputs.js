// Keys, mouse and gamepad, told to the server as long as a program there asks for them: when they change, and now and then.
(() => {
  'use strict'
  const EVERY = 50, AGAIN = 500 // milliseconds
  const held = new Map(), mouse = {at: [0, 0], buttons: []}
  let told = '', toldAt = 0
  const wanted = () => (document.getElementById('us-inputs')?.dataset.wanted ?? '').split(' ').filter(Boolean)
  const writes = target => target?.closest?.('input, textarea, select, [contenteditable="true"]')
  const round = number => Math.round(1000 * number) / 1000

  function key(event) {
    // By the place on the keyboard: a letter has another name when it is let go after Shift.
    const name = event.key === ' ' ? 'Space' : event.key, place = event.code || name
    if (event.type === 'keyup') {
      held.delete(place) // whatever is in focus by now, and whether or not it is wanted
      if (name === 'Meta') held.clear() // keys that are let go while it is held are not told of on a Mac
      return tell()
    }
    if (writes(event.target) || !wanted().includes('keys')) return
    held.set(place, name)
    if (name.startsWith('Arrow') || name === 'Space') event.preventDefault()
    // With arrows and letters viser would turn and move its camera; a control that has the focus still gets them.
    const own = event.target.closest?.('[role="slider"], [role="tab"]')
    if (!own && /^(Arrow.*|.)$/.test(name)) event.stopPropagation()
    tell()
  }

  function point(event) {
    const scene = event.target.closest?.('canvas')
    if (!scene || !wanted().includes('mouse')) return
    const box = scene.getBoundingClientRect()
    mouse.at = [round(2 * (event.clientX - box.left) / box.width - 1), round(1 - 2 * (event.clientY - box.top) / box.height)]
    mouse.buttons = [0, 1, 2].filter(number => event.buttons & [1, 4, 2][number])
  }

  function gamepad() {
    const pad = [...navigator.getGamepads()].find(Boolean)
    return pad ? JSON.stringify({axes: pad.axes.map(round), buttons: pad.buttons.map(each => round(each.value))}) : ''
  }

  function tell() {
    const names = wanted()
    if (!names.length) return
    const values = {}
    if (names.includes('keys')) values.keys = [...new Set(held.values())].join(' ')
    if (names.includes('mouse')) values.mouse = JSON.stringify(mouse)
    if (names.includes('gamepad')) values.gamepad = gamepad()
    const text = String(new URLSearchParams(values)), now = performance.now()
    if (text === told && now < toldAt + AGAIN) return
    told = text
    toldAt = now
    fetch('/ubersim/input?' + text, {headers: {'X-Ubersim-Page': '1'}})
  }

  for (const kind of ['keydown', 'keyup']) document.addEventListener(kind, key, true)
  for (const kind of ['pointermove', 'pointerdown', 'pointerup']) document.addEventListener(kind, point, true)
  window.addEventListener('blur', () => { held.clear(); mouse.buttons = []; tell() })
  setInterval(tell, EVERY)
})()
