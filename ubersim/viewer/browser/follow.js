// Goes along with what the scene has at '/followed'. It is done here, in the same picture that shows it there: told from
// the server, a camera would come late, by as much as the browser is slow, and undo what a hand has turned meanwhile.
(() => {
  'use strict'
  const FAR = 6 // a camera farther away than this goes near first [m]
  const NEAR = 3.3 // [m]
  const STORE = 'ubersim:' + document.title + ':followed'
  let last = null, before = null, untouched = true

  // The place of a node. viser's world has z up, that of three.js y.
  function placeOf(node, control) {
    const poses = window.__viserMutable.nodePoseData, place = poses[node]?.position
    if (!place) return null
    const [w, x, y, z] = poses[''].wxyz, {position, quaternion} = control.camera
    return position.clone().set(...place).applyQuaternion(quaternion.clone().set(x, y, z, w))
  }

  const target = control => placeOf('/followed', control)

  function lead(control) {
    const middle = target(control), first = placeOf('/followed/from', control)
    if (middle && !last && !first) return // it is still to come
    if (middle && !last) begin(control, middle, first)
    else if (middle && !last.equals(middle)) control.moveTo(...middle, false)
    last = middle
  }

  function begin(control, middle, first) {
    const offset = control.getPosition(middle.clone()).sub(middle)
    if (before) offset.set(...before)
    else if (untouched) offset.copy(first)
    else if (offset.length() > FAR) offset.setLength(NEAR)
    control.setPosition(...middle.clone().add(offset), false)
    control.setTarget(...middle, false)
    before = null
  }

  // When a page is loaded viser puts the camera where all begin, some pictures after the first.
  function keepFromBeginning(viewer) {
    let reset = viewer.resetCameraPose
    Object.defineProperty(viewer, 'resetCameraPose', {
      get: () => animate => { if (!last || animate) reset(animate) },
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
