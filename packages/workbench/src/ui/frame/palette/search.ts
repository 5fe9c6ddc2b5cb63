/** An entry of the palette. */
export interface PaletteEntry {
  readonly key: string
  readonly name: string
  /** The kind of entry: `Agent`, `Page`, `Run`. */
  readonly kind: string
  /** Also searched, but ranked lower. */
  readonly hint?: string | undefined
  readonly keys?: string
  readonly onSelect: () => void
}

const MAX_FOUND = 40

/** Returns the entries that match a query, best match first. An empty query matches all entries, in order. */
export function search(entries: readonly PaletteEntry[], query: string): PaletteEntry[] {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return entries.slice(0, MAX_FOUND)
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MAX_FOUND)
    .map(({ entry }) => entry)
}

function scoreOf({ name, kind, hint = '' }: PaletteEntry, wanted: string): number {
  return Math.max(
    fit(name.toLowerCase(), wanted),
    fit(`${kind} ${name}`.toLowerCase(), wanted) * 0.8,
    hint.toLowerCase().includes(wanted) ? 20 : 0,
  )
}

/**
 * Returns how well a string matches, from 0 to 100 for equal strings. Consecutive letters match better than letters
 * apart, and the beginnings of words better than their middles.
 */
export function fit(text: string, wanted: string): number {
  const at = text.indexOf(wanted)
  if (at >= 0) {
    const place = at === 0 ? 60 : isStart(text, at) ? 50 : 35
    return place + (40 * wanted.length) / text.length
  }
  let points = 0
  let from = 0
  for (const letter of wanted) {
    const found = text.indexOf(letter, from)
    if (found < 0) return 0
    points += isStart(text, found) ? 1 : found === from ? 0.7 : 0.2
    from = found + 1
  }
  return (30 * points) / wanted.length
}

function isStart(text: string, at: number): boolean {
  return at === 0 || /[^a-z\d]/.test(text.charAt(at - 1))
}
