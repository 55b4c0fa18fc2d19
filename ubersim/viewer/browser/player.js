// A page that plays alone: what stands over the scene, names for the player's controls, a camera that suits the window.
(() => {
  'use strict'
  const run = JSON.parse(document.getElementById('us-run').textContent)

  // In a window that is taller than wide it is the width that has to hold everything: the camera stands farther away.
  // viser takes that from the address, once; `run.place` is for a window as tall as wide, and stays where a frame in
  // another page has no address of its own.
  function standBack() {
    const bar = 40, aspect = Math.min(innerWidth / Math.max(innerHeight - bar, 1), 1)
    const farther = Math.sin(run.fov / 2) / Math.sin(Math.atan(Math.tan(run.fov / 2) * aspect))
    const address = new URL(location)
    address.searchParams.set('initialCameraPosition', run.place.map((x, i) => run.middle[i] + farther * (x - run.middle[i])))
    address.searchParams.set('initialCameraLookAt', run.middle)
    history.replaceState(null, '', address)
  }
  try { if (run.place) standBack() } catch { /* a frame in another page */ }

  // Whenever it begins again viser takes its own light first, and the scene would be brighter until that of the run has come.
  const dimming = setInterval(() => {
    const scene = window.__viserMutable?.scene
    if (!scene) return
    clearInterval(dimming)
    Object.defineProperty(scene, 'environmentIntensity', {get: () => run.reflections, set: () => {}})
  }, 100)

  const add = (parent, tag, text) => {
    const made = document.createElement(tag)
    made.textContent = text
    parent.append(made)
    return made
  }

  addEventListener('DOMContentLoaded', () => {
    const caption = document.createElement('header')
    caption.className = 'us-caption'
    add(caption, 'h1', run.title)
    add(caption, 'p', run.robots)
    const clock = add(caption, 'p', '')
    add(clock, 'b', run.begin.toFixed(1)).id = 'us-time'
    clock.append(` s of ${run.end.toFixed(1)} s`)
    document.body.append(caption)
    setInterval(() => {
      const time = document.querySelector('input[inputmode]')
      if (!time) return // not loaded yet
      document.getElementById('us-time').textContent = (run.begin + Number(time.value)).toFixed(1)
      time.setAttribute('aria-label', 'Time [s]')
      time.closest('div[class*="Paper"]')?.classList.add('us-player')
      document.querySelector('.us-player [role="combobox"]')?.setAttribute('aria-label', 'Speed')
      document.querySelector('.us-player button')?.setAttribute('aria-label', 'Play or pause')
      document.querySelector('.us-player [role="slider"]')?.setAttribute('aria-label', 'Time')
    }, 100)
  })
})()
