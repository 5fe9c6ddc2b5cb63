import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { networkInterfaces } from 'node:os'

type GuardedRequest = Pick<IncomingMessage, 'method' | 'headers' | 'url'>

/**
 * The header that proves that an API request comes from a workbench page. Its value is embedded in the page's HTML.
 * Scripts in the app share the page's origin and cookie, but browsers do not let them read that HTML.
 */
const NONCE_HEADER = 'x-sdk-workbench'

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** The cookie's lifetime, in seconds: 30 days. */
const COOKIE_MAX_AGE = 30 * 24 * 60 * 60

/** A guard that authorizes requests to the workbench. */
export class Guard {
  readonly #token: string
  readonly #names: ReadonlySet<string>
  /** The nonce in each page's HTML. It is derived from the token, so open pages remain valid after a restart. */
  readonly nonce: string

  /** `token` is the secret in the link and in the cookie; `host` is the address that the server listens on. */
  constructor({ token, host = '127.0.0.1' }: { token: string; host?: string }) {
    this.#token = token
    this.nonce = toNonce(token)
    this.#names = new Set([...LOOPBACK, ...hostNamesOf(host)])
  }

  /** Returns the reason why a request must be rejected regardless of its cookie, or null if it is acceptable. */
  rejectionOf({ method, headers }: GuardedRequest): string | null {
    const { host = '', origin, upgrade } = headers
    // DNS rebinding: an attacker can point a domain name at this machine.
    if (!this.#names.has(toName(host)))
      return `the workbench is available only at localhost and the server's address, got ${host || 'no Host header'}`
    if (upgrade !== undefined) return 'the workbench does not accept WebSocket connections'
    if (isCrossSite(headers)) return 'the workbench accepts requests only from its own pages'
    const mustSay = method !== 'GET' && method !== 'HEAD'
    if (origin === undefined ? !mustSay : origin === `http://${host}`) return null
    return 'the workbench accepts changes only from its own pages'
  }

  /** Returns whether the request has a valid cookie. */
  isAuthorized({ headers }: GuardedRequest): boolean {
    return cookiesNamed(cookieName(headers), headers.cookie).some((value) => isEqualToken(value, this.#token))
  }

  /** Returns whether a workbench page sent the request. `EventSource` cannot set headers, so its URL has the nonce. */
  isOwnPage({ headers, url = '/' }: GuardedRequest): boolean {
    const shown = headers[NONCE_HEADER] ?? new URLSearchParams(url.split('?')[1]).get('nonce')
    return typeof shown === 'string' && isEqualToken(shown, this.nonce)
  }

  /** Returns the cookie, and the URL without the token, if the link's token is valid; otherwise returns null. */
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

/** Returns the headers with which a program that has the token can call the workbench API. */
export function workbenchHeaders(
  url: string,
  token: string,
): Record<'cookie' | 'origin' | typeof NONCE_HEADER, string> {
  const { host, origin } = new URL(url)
  return { cookie: `${cookieName({ host })}=${token}`, origin, [NONCE_HEADER]: toNonce(token) }
}

/**
 * Returns whether a browser is opening the page as a document, which the app's scripts cannot read. Browsers indicate
 * this with a header that scripts cannot set, but they omit it on plain HTTP origins other than localhost.
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

/** Collapses leading slashes, since `//x` would refer to the host `x`, and `/..//x` resolves to `//x`. */
function withoutLeadingSlashes(url: string): string {
  return url.replace(/^\/+/, '/')
}

function hostNamesOf(bound: string): string[] {
  if (bound !== '0.0.0.0' && bound !== '::') return [toHostName(bound.toLowerCase())]
  // Only IP addresses are allowed: an attacker can point a domain name at this machine, but not an IP address.
  const all = Object.values(networkInterfaces()).flatMap((some = []) => some.map(({ address }) => address))
  return [bound, ...all].map(toHostName)
}

function toHostName(address: string): string {
  return address.includes(':') && !address.startsWith('[') ? `[${address}]` : address
}

/** Returns whether a page on another site sent the request, even if `Origin` is missing. Navigations are allowed. */
function isCrossSite({ 'sec-fetch-site': site, 'sec-fetch-mode': mode }: GuardedRequest['headers']): boolean {
  return mode !== 'navigate' && (site === 'cross-site' || site === 'same-site')
}

/** Returns a cookie name that contains the port. Cookies are shared across ports, so two dev servers would collide. */
function cookieName({ host = '' }: GuardedRequest['headers']): string {
  return `sdk_workbench_${/:(\d+)$/.exec(host)?.[1] ?? '80'}`
}

function cookiesNamed(name: string, header = ''): string[] {
  return header
    .split(';')
    .map((pair) => pair.trim())
    .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []))
}

/** Compares tokens in constant time. */
function isEqualToken(shown: string, token: string): boolean {
  const [a, b] = [Buffer.from(shown), Buffer.from(token)]
  return a.length === b.length && timingSafeEqual(a, b)
}
