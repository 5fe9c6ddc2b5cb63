/** A wording that comments or messages must not have. */
export interface WordRule {
  readonly name: string
  readonly pattern: RegExp
  /** The kinds of text that the rule applies to. */
  readonly applies: 'comments' | 'messages' | 'both'
  /** The reason, with the wording to use instead. */
  readonly reason: string
}

/** The rules of CONTRIBUTING.md that a program can check. Patterns match whole words. */
export const WORD_RULES: readonly WordRule[] = [
  {
    name: 'begins with What or Who',
    pattern: /^(what|who|whoever|whom|whose)\b(?!.*\?)/i,
    applies: 'both',
    reason: 'name the subject: "the headers of every response", not "what every answer has"',
  },
  {
    name: 'begins with Of',
    pattern: /^of\b/i,
    applies: 'both',
    reason: 'the subject comes first: "returns the newest of two versions"',
  },
  {
    name: 'hear',
    pattern: /\b(hear|hears|heard|hearing)\b/i,
    applies: 'both',
    reason: 'a process receives, listens, subscribes or is notified',
  },
  {
    name: 'tell',
    pattern: /\b(tell|tells|told)\b/i,
    applies: 'both',
    reason: 'a process reports, notifies, returns or sends',
  },
  {
    name: 'whoever',
    pattern: /\b(whoever|whomever|somebody|nobody)\b/i,
    applies: 'both',
    reason: 'name the role: the caller, the client, the user, another process',
  },
  {
    name: 'of ours',
    pattern: /\bof (ours|somebody)\b/i,
    applies: 'both',
    reason: 'say what it belongs to: "a cursor of this list"',
  },
  {
    name: 'so many',
    pattern: /\bso (many|few|long|often)\b/i,
    applies: 'both',
    reason: 'say the number, or "this many"',
  },
  {
    name: 'any more',
    pattern: /\b(any more|for ever|as ever)\b/i,
    applies: 'both',
    reason: '"no longer", "permanently", "as before"',
  },
  {
    name: 'without a word',
    pattern: /\b(without a word|goodbye|sent away|sends? away|well again|broke off)\b/i,
    applies: 'both',
    reason: '"silently", "close frame", "rejected", "recovered", "disconnected"',
  },
  {
    name: 'is no',
    pattern: /(?<!\bthere )\b(is|are) no\b(?! (longer|more than|such|need\b))/i,
    applies: 'both',
    reason: '"is not a …", or say what it must be',
  },
  {
    name: 'there is none',
    pattern: /(?<!\bif there )\b(is|are) none\b|\bwhere there is\b/i,
    applies: 'both',
    reason: '"not found", "null if missing"',
  },
  {
    name: 'metaphors of a house',
    pattern: /\b(house|floors?|doors?|seats?|shelf|shelves|attic)\b/i,
    applies: 'both',
    reason: 'package, layer, folder, adapter, slot, buffer',
  },
]
