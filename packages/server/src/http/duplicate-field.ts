/**
 * Finds the first duplicate member name in JSON, or the first object or array that exceeds `maxDepth`, whichever comes
 * first. Returns null if there is neither.
 */
export function findDuplicate(text: string, maxDepth: number): Pick<Scan, 'path' | 'isTooDeep'> | null {
  const scan: Scan = { text, at: 0, path: [], maxDepth, isTooDeep: false }
  return skipValue(scan) ? scan : null
}

interface Scan {
  /** The JSON to scan, which must be valid. */
  readonly text: string
  at: number
  /** The keys that lead to the current value. */
  readonly path: string[]
  readonly maxDepth: number
  isTooDeep: boolean
}

/** Skips a value. Returns true if the search ended inside the value, at `path`. */
function skipValue(scan: Scan): boolean {
  const start = peek(scan)
  if ((start === '{' || start === '[') && scan.path.length >= scan.maxDepth) return (scan.isTooDeep = true)
  if (start === '{') return skipObject(scan)
  if (start === '[') return skipArray(scan)
  if (start === '"') readString(scan)
  else while (/^[\w+.-]/.test(scan.text.charAt(scan.at))) scan.at += 1
  return false
}

function skipObject(scan: Scan): boolean {
  const names = new Set<string>()
  scan.at += 1
  while (peek(scan) !== '}') {
    const name = readString(scan)
    scan.path.push(name)
    if (names.has(name)) return true
    names.add(name)
    peek(scan)
    scan.at += 1 // skips the colon
    if (skipValue(scan)) return true
    scan.path.pop()
    if (peek(scan) === ',') scan.at += 1
    peek(scan)
  }
  scan.at += 1
  return false
}

function skipArray(scan: Scan): boolean {
  scan.at += 1
  for (let index = 0; peek(scan) !== ']'; index++) {
    scan.path.push(String(index))
    if (skipValue(scan)) return true
    scan.path.pop()
    if (peek(scan) === ',') scan.at += 1
  }
  scan.at += 1
  return false
}

function peek(scan: Scan): string | undefined {
  while (/^[ \t\r\n]/.test(scan.text.charAt(scan.at))) scan.at += 1
  return scan.text[scan.at]
}

function readString(scan: Scan): string {
  const start = scan.at
  scan.at += 1
  while (scan.text[scan.at] !== '"') scan.at += scan.text[scan.at] === '\\' ? 2 : 1
  scan.at += 1
  return JSON.parse(scan.text.slice(start, scan.at)) as string
}
