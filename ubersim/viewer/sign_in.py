"""What a browser sees that has not given the server's token: a form, which the address can fill in."""

SIGN_IN_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>ÜberSim</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 26em; margin: 15vh auto; padding: 0 1em }
  h1 { font-size: 1.4em; color: #be3c2a }
  input, button { font: inherit; padding: .4em .6em }
  #reason { color: #be3c2a; min-height: 1.5em }
</style>
<h1>ÜberSim</h1>
<p>This page can do everything with the simulation, so it asks for the server's token, as robots' programs have to give
it. The address that <code>ubersim</code> printed has it.</p>
<form><input id="token" type="password" placeholder="token" autofocus> <button>Open</button></form>
<p id="reason"></p>
<script>
  async function enter(token) {
    const answer = await fetch('/session', {headers: {Authorization: 'Bearer ' + token}})
    if (answer.ok) location.replace('/')
    else document.getElementById('reason').textContent = 'That is not the token of this server.'
  }
  document.querySelector('form').onsubmit = event => {
    event.preventDefault()
    enter(encodeURIComponent(document.getElementById('token').value))
  }
  const given = location.hash.match(/^#token=(.+)$/)
  if (given) enter(given[1])
</script>
</html>
"""
