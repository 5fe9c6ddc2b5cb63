/** The supported encodings, best first. */
export const ENCODINGS = ['br', 'gzip', 'identity'] as const

/** A supported encoding. */
export type Encoding = (typeof ENCODINGS)[number]

/**
 * Returns the encoding for the response: the available one with the highest weight or, if weights are equal, the one
 * with the smallest output. A client that accepts none of them gets the file unencoded, which is better than an error.
 */
export function chooseEncoding(header: string | undefined, isAvailable: (encoding: Encoding) => boolean): Encoding {
  if (header === undefined) return 'identity'
  const weights = parseAcceptEncoding(header)
  let best: { encoding: Encoding; weight: number } = { encoding: 'identity', weight: 0 }
  for (const encoding of ENCODINGS) {
    const weight = isAvailable(encoding) ? encodingWeight(encoding, weights) : 0
    if (weight > best.weight) best = { encoding, weight }
  }
  return best.encoding
}

/** The weight of `identity` if the header does not list it: acceptable, but less preferred than listed encodings. */
const UNNAMED = 0.0001

function encodingWeight(encoding: Encoding, weights: ReadonlyMap<string, number>): number {
  return weights.get(encoding) ?? weights.get('*') ?? (encoding === 'identity' ? UNNAMED : 0)
}

/** Parses the weights, from 0 to 1, in a header such as `br;q=1.0, gzip;q=0.5, *;q=0`. */
function parseAcceptEncoding(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    if (name !== '') weights.set(name === 'x-gzip' ? 'gzip' : name, weight === undefined ? 1 : toWeight(weight))
  }
  return weights
}

function toWeight(text: string): number {
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0
}
