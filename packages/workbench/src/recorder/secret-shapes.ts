import { HIDDEN, type SecretRange } from './secret-ranges.ts'

/** A kind of secret that is recognized by its format, wherever it appears. */
interface SecretShape {
  /** The pattern. Its only capture group is the secret, which must be at the end of the match. */
  readonly pattern: string
  /** Returns whether a match is a secret. @default always true */
  readonly isSecret?: (found: string) => boolean
  /** Returns the end of the secret. @default the end of the match */
  readonly endIn?: (text: string, from: number) => number
}

/** The recognized formats. Only distinctive formats are listed, since ids, hashes and words must remain readable. */
const SHAPES: readonly SecretShape[] = [
  // A word after "bearer" that has no digits and fewer than 32 characters is prose, not a token.
  { pattern: String.raw`[Bb]earer(?: +|%20)([\w.~+/-]{16,}=*)`, isSecret: (one) => hasDigit(one) || one.length >= 32 },
  // A JWT, whose header begins with `{"`.
  { pattern: word('eyJ', String.raw`[\w-]{10,}\.[\w-]*\.[\w-]+`) },
  // An access token from @sdk/auth, which consists of a JSON array and its signature.
  { pattern: word('Wy[IJ]', String.raw`[\w-]{16,}\.[\w-]{43}`) },
  // An access or refresh token of an MCP client, from @sdk/auth.
  { pattern: word('o[ar]t_', String.raw`[A-Za-z\d]{32,}`) },
  // Keys for OpenAI, Anthropic and others. Some CSS class names have the same prefix.
  { pattern: word('sk-', String.raw`[\w-]{20,}`), isSecret: (one) => hasDigit(one) && /[A-Za-z\d]{16}/.test(one) },
  // Keys for Google, Stripe, GitHub, AWS and Slack.
  { pattern: word('AIza', String.raw`[\w-]{35}(?![\w-])`) },
  { pattern: word('[rs]k_(?:live|test)_', String.raw`[A-Za-z\d]{16,}`) },
  { pattern: word('gh[opusr]_', String.raw`[A-Za-z\d]{36,}`) },
  { pattern: word('github_pat_', String.raw`\w{22,}`) },
  { pattern: word('A[KS]IA', String.raw`[A-Z\d]{16}(?![\w-])`) },
  { pattern: word('xox[abeoprs]-', String.raw`[\w-]{10,}`), isSecret: hasDigit },
  // The password in a URL, such as a database URL. It extends to the last @, since a password can contain one.
  { pattern: String.raw`:\/\/[^\s:/?#@"'\\<>]{0,64}:([^\s/?#"'\\<>]{1,128})(?=@)` },
  { pattern: '(-----BEGIN [A-Z ]{0,32}PRIVATE KEY-----)', endIn: endOfKey },
]

const ANY_SECRET = new RegExp(SHAPES.map(({ pattern }) => pattern).join('|'), 'g')
const MAX_PRIVATE_KEY = 16_384

/** Finds secrets in a string by their format, regardless of field names. */
export function shapeRanges(text: string): SecretRange[] {
  const ranges: SecretRange[] = []
  ANY_SECRET.lastIndex = 0
  for (let found = ANY_SECRET.exec(text); found !== null; found = ANY_SECRET.exec(text)) {
    const group = found.findIndex((one, index) => index > 0 && one !== undefined)
    const shape = SHAPES[group - 1]
    const secret = found[group] ?? ''
    if (shape === undefined || shape.isSecret?.(secret) === false) continue
    const from = ANY_SECRET.lastIndex - secret.length
    const to = shape.endIn?.(text, ANY_SECRET.lastIndex) ?? ANY_SECRET.lastIndex
    ranges.push({ from, to, mark: HIDDEN })
    ANY_SECRET.lastIndex = to
  }
  return ranges
}

/**
 * Returns a pattern for a word with the prefix `start`. The character before the prefix is checked only once the prefix
 * has matched, since a lookbehind is slow. In JSON, that character can be the letter of an escape sequence.
 */
function word(start: string, rest: string): string {
  return String.raw`(${start}(?<=(?:^|[^\w-]|\\[nrt])${start})${rest})`
}

function hasDigit(text: string): boolean {
  return /\d/.test(text)
}

/** Returns the end of a private key: after its last line, or where the text no longer looks like a key. */
function endOfKey(text: string, from: number): number {
  const rest = text.slice(from, from + MAX_PRIVATE_KEY)
  const last = /-----END [A-Z ]{0,32}PRIVATE KEY-----/.exec(rest) ?? /^(?:[A-Za-z\d+/=\s]|\\[nr])*/.exec(rest)
  return from + (last === null ? 0 : last.index + last[0].length)
}
