import { Window } from 'happy-dom'
import { vi } from 'vitest'
import { WebSocket } from 'ws'

/** The cookies of the page, by name. */
const jar = new Map<string, string>()

const window = new Window()

// Only what a page has and Node has not: the server of these tests runs in the same process, and needs Node's own classes.
for (const name of ['document', 'location', 'navigator'] as const) vi.stubGlobal(name, window[name])
vi.stubGlobal('window', window)
// Real, and without cookies: what a socket knows of its user, it knows by the token.
vi.stubGlobal('WebSocket', WebSocket)
vi.stubGlobal('fetch', withCookies(globalThis.fetch))

/** Goes to another page, in a browser with these cookies. */
export function goTo(url: string, cookie = ''): void {
  window.happyDOM.setURL(url)
  jar.clear()
  keep(cookie.split('; '))
}

/** Ends the page. */
export async function leave(): Promise<void> {
  vi.unstubAllGlobals()
  await window.happyDOM.close()
}

/** Fetches as a page does: with its cookies and the name of its origin. */
function withCookies(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const cookies = Array.from(jar, ([name, value]) => `${name}=${value}`)
    if (cookies.length > 0) request.headers.set('cookie', cookies.join('; '))
    request.headers.set('origin', window.location.origin)
    const response = await fetch(request)
    keep(response.headers.getSetCookie().map((line) => line.split(';', 1)[0] ?? ''))
    return response
  }
}

function keep(pairs: readonly string[]): void {
  for (const pair of pairs) {
    const [name = '', ...value] = pair.split('=')
    if (value.join('') === '') jar.delete(name)
    else jar.set(name, value.join('='))
  }
}
