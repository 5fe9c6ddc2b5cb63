/**
 * Converts an IP address to a string of bits, or returns null if it is invalid. IPv4-mapped IPv6 addresses are treated
 * as IPv4.
 */
function toBits(address: string): string | null {
  const plain = plainAddress(address)
  return plain.includes(':') ? bitsOf6(plain.replace(/%.*$/, '')) : bitsOf4(plain)
}

/** Converts an IPv4-mapped IPv6 address to its IPv4 address. */
export function plainAddress(address: string): string {
  return address.startsWith(':') ? address.replace(/^::ffff:(?=\d+\.)/i, '') : address
}

/**
 * Returns the rate limit key for an address: the IPv4 address itself, or the /64 network of an IPv6 address, since an
 * entire /64 is usually assigned to a single site.
 */
export function addressKey(address: string): string {
  if (!address.includes(':')) return address
  const bits = toBits(address)
  if (bits === null || bits.length === 32) return address.replace(/^::ffff:/i, '')
  return `${BigInt(`0b${bits.slice(0, 64)}`).toString(16)}/64`
}

/**
 * Creates a function that returns whether an address belongs to one of these networks, such as `10.0.0.1`, `10.0.0.0/8`
 * or `fd00::/8`.
 */
export function createTrust(networks: readonly string[]): (address: string) => boolean {
  const prefixes = networks.map(toPrefix)
  return (address) => {
    const bits = toBits(address)
    return bits !== null && prefixes.some(({ length, prefix }) => bits.length === length && bits.startsWith(prefix))
  }
}

/** Returns the client's address: the rightmost address in `X-Forwarded-For` that is not a trusted proxy. */
export function clientAddress(peer: string, forwarded: string | null, isTrusted: (address: string) => boolean): string {
  if (forwarded === null || !isTrusted(peer)) return peer
  const hops = forwarded.split(',').map((hop) => withoutPort(hop.trim()))
  const nearest = hops.findLast((hop) => toBits(hop) === null || !isTrusted(hop)) ?? hops[0] ?? peer
  // An invalid address could differ in every request and thus evade the rate limit.
  return toBits(nearest) === null ? peer : nearest
}

/** Removes the port that some proxies add: `192.0.2.1:1234`, `[2001:db8::1]:1234`. */
function withoutPort(hop: string): string {
  const [, inside, four] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(hop) ?? []
  return inside ?? four ?? hop
}

function toPrefix(network: string): { length: number; prefix: string } {
  const [address = '', size] = network.split('/')
  const bits = toBits(address)
  const length = size === undefined ? bits?.length : Number(size)
  if (bits === null || length === undefined || !Number.isInteger(length) || length < 0 || length > bits.length) {
    throw new TypeError(
      `trustedProxies must list addresses ("10.0.0.1") or networks ("10.0.0.0/8"), got ${JSON.stringify(network)}`,
    )
  }
  return { length: bits.length, prefix: bits.slice(0, length) }
}

function bitsOf4(address: string): string | null {
  const parts = address.split('.')
  const isValid = parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)
  return isValid ? parts.map((part) => Number(part).toString(2).padStart(8, '0')).join('') : null
}

function bitsOf6(address: string): string | null {
  const halves = address.split('::')
  if (halves.length > 2) return null
  const [left = [], right = []] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = 8 - left.length - right.length
  if (halves.length === 2 ? missing < 0 : missing !== 0) return null
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right]
  const isValid = groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
  return isValid ? groups.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('') : null
}
