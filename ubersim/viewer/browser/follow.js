// Goes along with what the scene has at '/followed'. It is done here, in the same picture that shows it there: told from
// the server, a camera would come late, by as much as the browser is slow, and undo what a hand has turned meanwhile.
(() => {
  'use strict'
  const FAR = 6 // a camera farther away than this goes near first [m]
  const NEAR = 3.3 // [m]
  const AROUND = 2 // where all begin the robot fills the picture; who goes along wants to see where it goes
  const STORE = 'ubersim:' + document.title + ':followed'
  let last = null, before = null, foundAgain = false, untouched = true

  // viser's world has z up, that of three.js y.
  function target(control) {
    const poses = window.__viserMutable.nodePoseData, place = poses['/followed']?.position
    if (!place) return null
    const [w, x, y, z] = poses[''].wxyz, {position, quaternion} = control.camera
    return position.clone().set(...place).applyQuaternion(quaternion.clone().set(x, y, z, w))
  }

  function lead(control) {
    const middle = target(control)
    if (middle && !last) begin(control, middle)
    else if (middle && !last.equals(middle)) control.moveTo(...middle, false)
    last = middle
  }

  function begin(control, middle) {
    const offset = control.getPosition(middle.clone()).sub(middle)
    if (before) offset.set(...before)
    else if (untouched) offset.setLength(Math.min(AROUND * offset.length(), NEAR))
    else if (offset.length() > FAR) offset.setLength(NEAR)
    control.setPosition(...middle.clone().add(offset), false)
    control.setTarget(...middle, false)
    foundAgain = before !== null
    before = null
  }

  // When a page is loaded viser puts the camera where all begin, some pictures after the first. One that has found again
  // where it was stays there, any other goes along from where all begin.
  function keepFromBeginning(viewer) {
    let reset = viewer.resetCameraPose
    Object.defineProperty(viewer, 'resetCameraPose', {
      get: () => animate => {
        if (!animate && last && foundAgain) return
        if (!animate) last = null
        reset(animate)
      },
      set: value => { reset = value },
      configurable: true,
    })
  }

  for (const kind of ['pointerdown', 'wheel']) {
    addEventListener(kind, () => { untouched = false }, {capture: true, passive: true})
  }

  // A page that is loaded again looks at it from where it did.
  try { before = JSON.parse(sessionStorage.getItem(STORE)) } catch { /* a browser that keeps nothing */ }
  addEventListener('pagehide', () => {
    const control = window.__viserMutable?.cameraControl
    const middle = control && target(control)
    const offset = middle ? [...control.getPosition(middle.clone()).sub(control.getTarget(middle.clone()))] : null
    try { sessionStorage.setItem(STORE, JSON.stringify(offset)) } catch { /* the same */ }
  })

  setInterval(() => {
    const viewer = window.__viserMutable, control = viewer?.cameraControl
    if (!control || Object.hasOwn(control, 'update')) return
    keepFromBeginning(viewer)
    const update = control.update
    control.update = function (seconds) {
      lead(this)
      return update.call(this, seconds)
    }
  }, 100)
})()
