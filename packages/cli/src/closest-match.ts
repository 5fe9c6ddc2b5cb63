/** Returns the candidate that is closest to a misspelled word, or `undefined` if none is close enough. */
export function closestMatch(word: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate) }))
    .toSorted((a, b) => a.distance - b.distance)
  return best !== undefined && best.distance <= Math.max(1, Math.floor(word.length / 3)) ? best.candidate : undefined
}

/** Returns `did you mean <prefix><candidate>?`, or `undefined` if no candidate is close enough. */
export function didYouMean(word: string, candidates: readonly string[], prefix = ''): string | undefined {
  const near = closestMatch(word, candidates)
  return near === undefined ? undefined : `did you mean ${prefix}${near}?`
}

/** Returns the edit distance between two words: the number of added, removed, changed and swapped letters. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? Infinity
  for (let i = 1; i <= a.length; i++) {
    rows[i] = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const choices = [cell(i - 1, j) + 1, cell(i, j - 1) + 1, cell(i - 1, j - 1) + change]
      if (isSwap) choices.push(cell(i - 2, j - 2) + 1)
      rows[i]?.push(Math.min(...choices))
    }
  }
  return cell(a.length, b.length)
}
