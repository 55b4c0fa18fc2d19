// What the page does in the browser beside viser: asks the server for what is picked, keeps what is chosen, saves files.
(() => {
  'use strict'
  const HEADERS = {'X-Ubersim-Page': '1'}
  const STORE = 'ubersim:' + document.title
  const ask = (path, values) => fetch('/ubersim/' + path + '?' + new URLSearchParams(values), {headers: HEADERS})

  function save(blob, name) {
    if (!blob) return // a canvas without a size has no picture
    const link = document.createElement('a')
    link.href = URL.createObjectURL(blob)
    link.download = name
    link.click()
    setTimeout(() => URL.revokeObjectURL(link.href), 10000)
  }

  // What the browser keeps, or this tab of it ('sessionStorage').
  function stored(name, otherwise, where = 'localStorage') {
    try { return JSON.parse(window[where].getItem(STORE + name)) ?? otherwise } catch { return otherwise }
  }

  function store(name, value, where = 'localStorage') {
    try { window[where].setItem(STORE + name, JSON.stringify(value)) } catch { /* a browser that keeps nothing */ }
  }

  // A page that is loaded again begins where its camera was: viser takes that from the address, once. Every tab has a
  // camera of its own, and a new tab that of the last one. What no hand has moved since then is not kept anew: at first
  // a browser's camera is nowhere yet.
  let kept = stored(':camera', null, 'sessionStorage') ?? stored(':camera', [])
  let handled = false
  for (const kind of ['pointerdown', 'wheel', 'keydown']) {
    addEventListener(kind, event => { handled ||= event.isTrusted }, {capture: true, passive: true})
  }

  function setAddress(camera) {
    const address = new URL(location)
    for (const [place, name] of ['initialCameraPosition', 'initialCameraLookAt'].entries()) {
      if (camera) address.searchParams.set(name, camera[place])
      else address.searchParams.delete(name)
    }
    if (address.href !== location.href) history.replaceState(null, '', address)
  }
  if (kept.length === 2) setAddress(kept)

  function keepCamera() {
    const told = document.getElementById('us-camera')?.dataset.camera
    if (!told) return
    setAddress(null)
    if (!handled || told === kept) return
    kept = told
    store(':camera', JSON.parse(told), 'sessionStorage')
    store(':camera', JSON.parse(told))
  }

  // Buttons: data-ask is a request to the server, data-do something that is done here.
  document.addEventListener('click', async event => {
    const button = event.target.closest?.('[data-ask], [data-do]')
    if (!button) return
    const {ask: path, do: action, save: name, ...values} = button.dataset
    if (action) return ACTIONS[action]?.(button)
    const answer = await ask(path, values)
    if (answer.ok && name) save(await answer.blob(), name)
  })

  const stamp = () => document.title.replace('Ü', 'U').replace(/[^\w.-]+/g, '_') + '_' + new Date().toISOString().slice(0, 19).replace(/:/g, '-')
  const scene = () => [...document.querySelectorAll('canvas')].sort((a, b) => b.width * b.height - a.width * a.height)[0]
  let film = null

  const ACTIONS = {
    screenshot: () => scene()?.toBlob(blob => save(blob, stamp() + '.png')),
    film(button) {
      if (film) { film.stop(); return }
      // A copy of the scene is filmed: its own canvas is drawn anew whenever viser likes, and changes its size.
      const pieces = [], source = scene(), copy = document.createElement('canvas')
      copy.width = source.width & ~1
      copy.height = source.height & ~1
      const draw = () => copy.getContext('2d').drawImage(scene(), 0, 0, copy.width, copy.height)
      draw()
      const drawing = setInterval(draw, 1000 / 25)
      film = new MediaRecorder(copy.captureStream(25), {videoBitsPerSecond: 8e6})
      film.ondataavailable = event => {
        pieces.push(event.data)
        button.dataset.bytes = pieces.reduce((sum, piece) => sum + piece.size, 0)
      }
      film.onstop = () => {
        clearInterval(drawing)
        save(new Blob(pieces, {type: film.mimeType}), stamp() + (film.mimeType.includes('mp4') ? '.mp4' : '.webm'))
        film = null
        button.setAttribute('aria-pressed', 'false')
        button.textContent = 'Film'
      }
      film.start(500)
      button.setAttribute('aria-pressed', 'true')
      button.textContent = 'Stop filming'
    },
    graph: button => savePlot(button.closest('.us-row')),
  }

  // A graph is what follows its row of buttons: canvases of curves with their legends, or a drawing.
  function savePlot(row) {
    const around = row.closest('[class*="Collapse"], [class*="collapse"]') ?? row.parentElement.parentElement
    const parts = [...around.querySelectorAll('.uplot, svg.us-polar, img, .us-table')].filter(part => part.offsetParent !== null || part.tagName === 'svg')
    const title = row.dataset.title
    const sizes = parts.map(part => part.getBoundingClientRect())
    const scale = 2, head = 30
    const page = document.createElement('canvas')
    page.width = scale * Math.max(200, ...sizes.map(box => box.width))
    page.height = scale * (head + sizes.reduce((sum, box) => sum + box.height + 24, 0))
    const pen = page.getContext('2d')
    pen.fillStyle = '#fff'
    pen.fillRect(0, 0, page.width, page.height)
    pen.scale(scale, scale)
    pen.fillStyle = '#1f2328'
    pen.font = '600 14px system-ui, sans-serif'
    pen.fillText(title, 8, 20)
    let top = head
    const drawn = parts.map((part, number) => {
      const box = sizes[number], y = top
      top += box.height + 24
      return drawPart(pen, part, y, box)
    })
    // A part that nothing was drawn in yet cannot be copied; the others are saved all the same.
    Promise.allSettled(drawn).then(() => page.toBlob(blob => save(blob, title.replace(/[^\w.-]+/g, '_') + '.png')))
  }

  // The legend that stands right before a plot.
  function legendOf(plot) {
    const legends = [...document.querySelectorAll('.us-legend')]
    const before = legends.filter(each => each.compareDocumentPosition(plot) & Node.DOCUMENT_POSITION_FOLLOWING)
    return before.length ? [...before[before.length - 1].children] : []
  }

  async function drawPart(pen, part, y, box) {
    if (part.matches('.uplot')) {
      const canvas = part.querySelector('canvas')
      pen.drawImage(canvas, 0, y, canvas.clientWidth, canvas.clientHeight)
      let x = 8
      pen.font = '12px system-ui, sans-serif'
      for (const curve of legendOf(part)) {
        pen.fillStyle = curve.style.getPropertyValue('--c')
        pen.fillRect(x, y + canvas.clientHeight + 6, 12, 4)
        pen.fillStyle = '#1f2328'
        pen.fillText(curve.textContent, x + 16, y + canvas.clientHeight + 12)
        x += 26 + pen.measureText(curve.textContent).width
      }
      return
    }
    if (part.matches('.us-table')) {
      const corner = part.getBoundingClientRect()
      pen.fillStyle = '#1f2328'
      for (const cell of part.querySelectorAll('th, td')) {
        const place = cell.getBoundingClientRect(), style = getComputedStyle(cell)
        const left = style.textAlign === 'left'
        pen.font = `${style.fontWeight} ${style.fontSize} system-ui, sans-serif`
        pen.textAlign = left ? 'left' : 'right'
        const words = cell.innerText.split('\n'), x = left ? place.left + 5 : place.right - 5
        words.forEach((line, number) => pen.fillText(line, x - corner.left, y + place.top - corner.top + 13 * (number + 1)))
      }
      pen.textAlign = 'left'
      return
    }
    const image = new Image()
    image.src = part.tagName === 'IMG' ? part.src
      : 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(new XMLSerializer().serializeToString(part))
    await image.decode()
    pen.drawImage(image, 0, y, box.width, box.height)
  }

  // Branches that were opened or closed stay so, whatever the server sends next; so does the tab that is open.
  const branches = stored(':branches', {})
  document.addEventListener('toggle', event => {
    const key = event.target.dataset?.key
    if (key && event.target.tagName === 'DETAILS') { branches[key] = event.target.open; store(':branches', branches) }
  }, true)
  // viser opens a tab as it is pressed. Where drawing is slow the tab is another element by the time of the release, and
  // there is no click on it.
  for (const kind of ['pointerdown', 'click']) {
    document.addEventListener(kind, event => {
      const tab = event.target.closest?.('[role="tab"]')
      if (tab && event.isTrusted) { tabWanted = ''; store(':tab', tab.innerText.trim()) }
    }, true)
  }

  // Graphs show all the time that they have, unless one has zoomed into it. viser moves what is shown along with the
  // data by a share of it, and a browser that is late with its drawing takes that share from an axis of long ago.
  const zoomed = new WeakSet()
  let pressedAt = null
  addEventListener('mousedown', event => { pressedAt = event.clientX }, true)
  addEventListener('mouseup', event => {
    const plot = event.target.closest?.('.uplot')
    if (plot && pressedAt !== null && Math.abs(event.clientX - pressedAt) > 5) zoomed.add(plot)
  }, true)
  addEventListener('dblclick', event => zoomed.delete(event.target.closest?.('.uplot')), true)
  setInterval(() => {
    for (const {chart} of Object.values(window.__viserTestpoints?.uplots ?? {})) {
      const times = chart.data[0], shown = chart.scales.x
      const min = times[0], max = times[times.length - 1]
      if (zoomed.has(chart.root) || !(max > min) || (shown.min === min && shown.max === max)) continue
      chart.setScale('x', {min, max})
    }
  }, 200)

  // On a phone the controls are a sheet over the scene: the scene ends where the sheet begins, open or folded.
  const sheets = new ResizeObserver(fitScene)
  let sheet = null
  let nudge = 0 // a pixel more or less

  function fitScene() {
    const height = sheet.getBoundingClientRect().height + nudge
    document.documentElement.style.setProperty('--us-sheet', height + 'px')
  }

  // Of two changes of its size that come at once, viser's scene may miss the second, and keeps the size of the first
  // from then on. Another change, of a pixel, makes it look again.
  setInterval(() => {
    const canvas = scene(), room = canvas?.parentElement
    if (!sheet || !room || Math.abs(canvas.clientHeight - room.clientHeight) <= 1) return
    nudge = 1 - nudge
    fitScene()
  }, 500)

  function watchSheet() {
    const now = document.querySelector('[style*="max-height: 60%"][style*="width: 20em"]')
    if (now === sheet) return
    if (sheet) sheets.unobserve(sheet)
    sheet = now
    if (sheet) sheets.observe(sheet)
    else document.documentElement.style.removeProperty('--us-sheet')
  }

  // viser opens the first tab as others are added: the one that was open is opened until it stays so.
  let tabWanted = stored(':tab', '')
  let seen = 0
  const opening = setInterval(() => {
    const tab = tabWanted && [...document.querySelectorAll('[role="tab"]')].find(each => each.innerText.trim() === tabWanted)
    seen = tab?.ariaSelected === 'true' ? seen + 1 : 0
    if (!tabWanted || seen > 10) clearInterval(opening)
    else if (tab && !seen) {
      tab.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))
      tab.click()
    }
  }, 200)
  let restored = ''

  function look(root) {
    for (const list of [root, ...root.querySelectorAll('.us-list')]) if (list.matches('.us-list')) nameList(list.parentElement)
    for (const branch of root.querySelectorAll('details[data-key]')) {
      if (branch.dataset.key in branches) branch.open = branches[branch.dataset.key]
      if (branch.querySelector('[aria-current]')) branch.open = true
    }
    showChosen(root.querySelector('.us-tree [aria-current]'))
    for (const control of root.querySelectorAll('[role="slider"], input, button')) name(control)
    const page = document.getElementById('root')
    page?.setAttribute('role', 'main')
    if (page && !document.querySelector('h1')) {
      page.insertAdjacentHTML('afterbegin', '<h1 class="us-unseen"></h1>')
      page.querySelector('h1').textContent = document.title
    }
  }

  // In a long tree what was clicked in the scene may be out of sight. On a phone it stays there: the controls are in the same sheet.
  let shown = ''
  function showChosen(button) {
    if (!button || button.dataset.key === shown) return
    shown = button.dataset.key
    if (innerWidth > 576) button.scrollIntoView({block: 'nearest'})
  }

  // What scrolls has to be reached by keys, too.
  function nameList(frame) {
    for (const [name, value] of Object.entries({tabindex: 0, role: 'region', 'aria-label': 'list'})) frame.setAttribute(name, value)
  }

  // viser writes the labels of its controls beside them; screen readers want to be told which belongs to which.
  function name(control) {
    if (control.getAttribute('aria-label') || control.innerText?.trim() || control.labels?.length) return
    let row = control.parentElement
    for (let up = 0; row && up < 6 && !row.querySelector('label'); up++) row = row.parentElement
    const label = control.tagName === 'BUTTON' ? 'Settings' : row?.querySelector('label')?.innerText
    if (label) control.setAttribute('aria-label', label.trim())
  }

  function remember() {
    const here = document.getElementById('us-choices')
    if (!here) return
    if (restored !== here.dataset.page) {
      restored = here.dataset.page
      const before = stored(':choices', null)
      if (before && here.dataset.fresh === 'yes') { ask('restore', {choices: JSON.stringify(before)}); return }
    }
    if (here.dataset.fresh !== 'yes') store(':choices', JSON.parse(here.dataset.choices))
  }

  new MutationObserver(changes => {
    for (const change of changes) for (const node of change.addedNodes) if (node.nodeType === 1) look(node)
    watchSheet()
    remember()
    keepCamera()
  }).observe(document.documentElement, {childList: true, subtree: true})
})()
