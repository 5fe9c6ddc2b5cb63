/** Returns whether an `Accept` header accepts one of these media types. The most specific matching range applies. */
export function accepts(header: string | null, types: readonly string[]): boolean {
  if (header === null || header === '*/*' || header === 'application/json' || header.trim() === '') return true
  const ranges = toMediaRanges(header)
  return types.some((type) => qualityOf(type, ranges) > 0)
}

/** Returns whether an `Accept` header lists this media type explicitly and ranks it at least as high as `other`. */
export function prefers(header: string | null, type: string, other: string): boolean {
  if (header === null || !namesMediaType(header, type)) return false
  const ranges = toMediaRanges(header)
  return qualityOf(type, ranges) >= qualityOf(other, ranges)
}

/** Returns whether an `Accept` header lists this media type explicitly, rather than through a wildcard. */
export function namesMediaType(header: string | null, type: string): boolean {
  return header !== null && toMediaRanges(header).some((range) => isNamed(range, type))
}

interface MediaRange {
  readonly type: string
  readonly quality: number
}

function isNamed(range: MediaRange, type: string): boolean {
  return range.type === type && range.quality > 0
}

/** The ranges of recent headers. Most clients send one of a few, so they need not be parsed for every request. */
const recent = new Map<string, readonly MediaRange[]>()
const MAX_RECENT = 100
/** Longer headers are parsed each time. */
const MAX_RECENT_LENGTH = 200

function toMediaRanges(header: string): readonly MediaRange[] {
  const known = recent.get(header)
  if (known !== undefined) return known
  const ranges = header.split(',').map(toMediaRange)
  if (header.length > MAX_RECENT_LENGTH) return ranges
  if (recent.size >= MAX_RECENT) recent.clear()
  recent.set(header, ranges)
  return ranges
}

function toMediaRange(part: string): MediaRange {
  const [type = '', ...params] = part.split(';').map((piece) => piece.trim().toLowerCase())
  const weight = params.find((param) => param.startsWith('q='))?.slice(2)
  const quality = weight === undefined ? 1 : Number(weight)
  return { type, quality: Number.isNaN(quality) ? 0 : quality }
}

function qualityOf(type: string, ranges: readonly MediaRange[]): number {
  const find = (wanted: string): number | undefined => ranges.find((one) => one.type === wanted)?.quality
  return find(type) ?? find(`${type.slice(0, type.indexOf('/'))}/*`) ?? find('*/*') ?? 0
}
