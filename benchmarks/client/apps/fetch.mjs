/** The minimum for a hand-written call: it reports failures. */
export async function call(path, init) {
  const response = await fetch(path, init)
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`)
  return response.json()
}

export function post(path, body) {
  return call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
}
