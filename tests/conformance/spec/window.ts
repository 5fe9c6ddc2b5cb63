import { Window } from 'happy-dom'
import { vi } from 'vitest'
import { WebSocket } from 'ws'

/** The cookies of the page, by name. */
const jar = new Map<string, string>()

const window = new Window()

// Only globals of a page that Node lacks: the server of these tests runs in the same process, and needs Node's classes.
for (const name of ['document', 'location', 'navigator'] as const) vi.stubGlobal(name, window[name])
vi.stubGlobal('window', window)
// A real WebSocket without cookies: a socket is authenticated by its token.
vi.stubGlobal('WebSocket', WebSocket)
vi.stubGlobal('fetch', withCookies(globalThis.fetch))

/** Navigates to another page, in a browser with these cookies. */
export function goTo(url: string, cookie = ''): void {
  window.happyDOM.setURL(url)
  jar.clear()
  keep(cookie.split('; '))
}

/** Closes the page. */
export async function leave(): Promise<void> {
  vi.unstubAllGlobals()
  await window.happyDOM.close()
}

/** Fetches like a page: with its cookies and its origin. */
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
