/** Returns whether an `Accept` header accepts one of these media types. The most specific matching range applies. */
export function accepts(header: string | null, types: readonly string[]): boolean {
  if (header === null || header === '*/*' || header === 'application/json' || header.trim() === '') return true
  const ranges = header.split(',').map(toMediaRange)
  return types.some((type) => qualityOf(type, ranges) > 0)
}

/** Returns whether an `Accept` header lists this media type explicitly and ranks it at least as high as `other`. */
export function prefers(header: string | null, type: string, other: string): boolean {
  if (header === null || !namesMediaType(header, type)) return false
  const ranges = header.split(',').map(toMediaRange)
  return qualityOf(type, ranges) >= qualityOf(other, ranges)
}

/** Returns whether an `Accept` header lists this media type explicitly, rather than through a wildcard. */
export function namesMediaType(header: string | null, type: string): boolean {
  return header !== null && header.split(',').some((part) => isNamed(toMediaRange(part), type))
}

interface MediaRange {
  readonly type: string
  readonly quality: number
}

function isNamed(range: MediaRange, type: string): boolean {
  return range.type === type && range.quality > 0
}

function toMediaRange(part: string): MediaRange {
  const [type = '', ...params] = part.split(';').map((piece) => piece.trim().toLowerCase())
  const weight = params.find((param) => param.startsWith('q='))?.slice(2)
  const quality = weight === undefined ? 1 : Number(weight)
  return { type, quality: Number.isNaN(quality) ? 0 : quality }
}

function qualityOf(type: string, ranges: readonly MediaRange[]): number {
  const [family = ''] = type.split('/')
  const range = [type, `${family}/*`, '*/*'].flatMap((wanted) => ranges.find((one) => one.type === wanted) ?? [])[0]
  return range?.quality ?? 0
}
