import { lookup, type LookupAddress, type LookupAllOptions } from 'node:dns'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isLoopbackHost, isPublicRoutableHost } from '@better-auth/core/utils/host'

const TIMEOUT_MS = 5_000
const MAX_BYTES = 16_384

/** Returns whether a URL may be fetched: https on a public host, or in development also http(s) on this machine. */
export function isFetchable(url: string, allowsLoopback: boolean): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, username, password } = new URL(url)
  if (username !== '' || password !== '') return false
  if (allowsLoopback && isLoopbackHost(hostname)) return protocol === 'https:' || protocol === 'http:'
  return protocol === 'https:' && isPublicRoutableHost(hostname)
}

/** Options for `fetchPublic`. */
interface FetchPublicOptions {
  readonly allowsLoopback: boolean
  /** Resolves a host name. @default the lookup of Node */
  readonly resolveHost?: ResolveHost
}

type ResolveHost = (
  host: string,
  options: LookupAllOptions,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Fetches a small document from a URL that a stranger chose. The address is checked when the connection is opened, so
 * that a host name cannot resolve to an internal address. Redirects are not followed.
 */
export async function fetchPublic(url: string, options: FetchPublicOptions): Promise<Response> {
  const { allowsLoopback, resolveHost = lookup } = options
  if (!isFetchable(url, allowsLoopback)) throw new Error('the URL must use https and a public host')
  const send = url.startsWith('http:') ? requestHttp : requestHttps
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  return new Promise((resolve, reject) => {
    const settings = {
      signal,
      agent: false,
      headers: { accept: 'application/json' },
      lookup: toSafeLookup(resolveHost, isLoopbackHost(new URL(url).hostname)),
    }
    const request = send(url, settings, (response) => {
      const parts: Buffer[] = []
      let size = 0
      response.on('data', (part: Buffer) => {
        parts.push(part)
        if ((size += part.length) <= MAX_BYTES) return
        // Rejects first: a response that has arrived in full can still end after `destroy`.
        reject(new Error(`the document has more than ${MAX_BYTES} bytes`))
        request.destroy()
      })
      response.on('error', reject)
      response.on('end', () => {
        const { statusCode = 502, headers } = response
        if (statusCode !== 200) return reject(new Error(`the response has the status ${statusCode}`))
        resolve(new Response(Buffer.concat(parts), { headers: { 'content-type': headers['content-type'] ?? '' } }))
      })
    })
    request.on('error', reject)
    request.end()
  })
}

/** Creates a DNS lookup that fails if any address of the host is internal, or not of this machine for its own names. */
function toSafeLookup(resolveHost: ResolveHost, isLoopback: boolean): typeof lookup {
  const isSafe = isLoopback ? isLoopbackHost : isPublicRoutableHost
  const safeLookup = (host: string, options: object, callback: (...result: unknown[]) => void): void =>
    resolveHost(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null || first === undefined) return callback(error ?? new Error('the host has no address'))
      if (!addresses.every(({ address }) => isSafe(address)))
        return callback(new Error('the host has an internal address'))
      if ('all' in options && options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  return safeLookup as typeof lookup
}
