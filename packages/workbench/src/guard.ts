import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { networkInterfaces } from 'node:os'

type GuardedRequest = Pick<IncomingMessage, 'method' | 'headers' | 'url'>

/**
 * The header by which calls of the API show that they come from a page of the workbench. Its value is in the HTML of that
 * page. Scripts of the app have the same origin and send the same cookie, but browsers do not let them read that HTML.
 */
const NONCE_HEADER = 'x-sdk-workbench'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** How long a browser that opened the link needs no link, in seconds: 30 days. */
const COOKIE_MAX_AGE = 30 * 24 * 60 * 60

/** Checks every request of the workbench. */
export class Guard {
  readonly #token: string
  readonly #names: ReadonlySet<string>
  /** For the HTML of the pages. Of the secret, so that an open page is known after a restart, too. */
  readonly nonce: string

  /** `token`: the secret in the link, and then in the cookie that the link sets; `host`: where the server listens. */
  constructor({ token, host = '127.0.0.1' }: { token: string; host?: string }) {
    this.#token = token
    this.nonce = toNonce(token)
    this.#names = new Set([...LOOPBACK, ...hostNamesOf(host)])
  }

  /** Why a request is refused, with the cookie or without; null where it is not. */
  rejectionOf({ method, headers }: GuardedRequest): string | null {
    const { host = '', origin, upgrade } = headers
    // DNS rebinding: a foreign page has pointed a name of its own at this machine.
    if (!this.#names.has(toName(host)))
      return `the workbench is open to localhost, not to ${host === '' ? 'a request without Host' : host}`
    if (upgrade !== undefined) return 'the workbench has no sockets of its own'
    if (isCrossSite(headers)) return 'the workbench answers to its own pages only'
    const mustSay = method !== 'GET' && method !== 'HEAD'
    if (origin === undefined ? !mustSay : origin === `http://${host}`) return null
    return 'the workbench takes changes from its own pages only'
  }

  /** Does the cookie open the workbench? */
  isAuthorized({ headers }: GuardedRequest): boolean {
    return cookiesNamed(cookieName(headers), headers.cookie).some((value) => isEqualToken(value, this.#token))
  }

  /** Does a page of the workbench call its API? `EventSource` cannot send headers: it has the nonce in its query. */
  isOwnPage({ headers, url = '/' }: GuardedRequest): boolean {
    const shown = headers[NONCE_HEADER] ?? new URLSearchParams(url.split('?')[1]).get('nonce')
    return typeof shown === 'string' && isEqualToken(shown, this.nonce)
  }

  /** The answer to a link with the right token: the cookie, and the URL without the token. Null for anything else. */
  redeemLink({ method, headers, url = '/' }: GuardedRequest): { cookie: string; location: string } | null {
    const path = withoutLeadingSlashes(url)
    if (!URL.canParse(path, 'http://localhost')) return null
    const target = new URL(path, 'http://localhost')
    const shown = target.searchParams.get('token')
    if (method !== 'GET' || shown === null || !isEqualToken(shown, this.#token)) return null
    target.searchParams.delete('token')
    const limits = `Max-Age=${COOKIE_MAX_AGE}; HttpOnly; SameSite=Strict; Path=/_workbench`
    const cookie = `${cookieName(headers)}=${this.#token}; ${limits}`
    return { cookie, location: `${withoutLeadingSlashes(target.pathname)}${target.search}` }
  }
}

/** The headers with which a program that has the token can call a workbench, as its own pages do. */
export function workbenchHeaders(
  url: string,
  token: string,
): Record<'cookie' | 'origin' | typeof NONCE_HEADER, string> {
  const { host, origin } = new URL(url)
  return { cookie: `${cookieName({ host })}=${token}`, origin, [NONCE_HEADER]: toNonce(token) }
}

/**
 * Does a browser open the page in a tab of its own, where no script of the app can read it? Browsers say so by a header
 * that scripts cannot set, but not at plain HTTP addresses other than those of this machine.
 */
export function isOpenedInTab({ host = '', 'sec-fetch-dest': target }: GuardedRequest['headers']): boolean {
  return target === undefined ? !LOOPBACK.includes(toName(host)) : target === 'document'
}

function toNonce(token: string): string {
  return createHmac('sha256', token).update('pages of the workbench').digest('base64url')
}

function toName(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '')
}

/** Removes slashes at the start: `//x` is the host x, also where it is left of `/..//x` after it is resolved. */
function withoutLeadingSlashes(url: string): string {
  return url.replace(/^\/+/, '/')
}

function hostNamesOf(bound: string): string[] {
  if (bound !== '0.0.0.0' && bound !== '::') return [toHostName(bound.toLowerCase())]
  // Only addresses: a name could be pointed at this machine by others, an address cannot.
  const all = Object.values(networkInterfaces()).flatMap((some = []) => some.map(({ address }) => address))
  return [bound, ...all].map(toHostName)
}

function toHostName(address: string): string {
  return address.includes(':') && !address.startsWith('[') ? `[${address}]` : address
}

/** Did a foreign page send this? Browsers tell so even without `Origin`. A link that is followed does not count. */
function isCrossSite({ 'sec-fetch-site': site, 'sec-fetch-mode': mode }: GuardedRequest['headers']): boolean {
  return mode !== 'navigate' && (site === 'cross-site' || site === 'same-site')
}

/** Has the port in it: browsers share cookies between ports, so two dev servers would overwrite each other's. */
function cookieName({ host = '' }: GuardedRequest['headers']): string {
  return `sdk_workbench_${/:(\d+)$/.exec(host)?.[1] ?? '80'}`
}

function cookiesNamed(name: string, header = ''): string[] {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))
}

/** Compared in constant time. */
function isEqualToken(shown: string, token: string): boolean {
  const [a, b] = [Buffer.from(shown), Buffer.from(token)]
  return a.length === b.length && timingSafeEqual(a, b)
}
