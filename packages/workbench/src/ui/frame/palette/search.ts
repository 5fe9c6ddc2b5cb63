/** An entry in the palette. */
export interface PaletteEntry {
  readonly key: string
  readonly name: string
  /** The kind of entry, such as `Agent`, `Page` or `Run`. */
  readonly kind: string
  /** A hint that is also searched. Matches in it are ranked lower. */
  readonly hint?: string | undefined
  readonly keys?: string
  readonly onSelect: () => void
}

const MAX_FOUND = 40

/** Returns the entries that match a query, best match first, or the first entries if the query is empty. */
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
 * Returns how well a string matches a query, from 0 (no match) to 100 (equal). Consecutive letters score higher than
 * separate ones, and the start of a word scores higher than its middle.
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
