import { keysOf } from '../form/json-schema.ts'
import { JsonSyntaxError, parseJsonTree, type JsonRanges } from '../form/json-text.ts'
import { lastMember, type Json } from '../form/json-tree.ts'
import type { FieldIssue } from './call-input.ts'

/** An issue that refers to a range of the text. */
export interface TextIssue {
  readonly from: number
  readonly to: number
  readonly message: string
}

/** Returns the issues in the text with their positions: either a syntax error, or the issues with individual values. */
export function toTextIssues(text: string, issues: readonly FieldIssue[]): readonly TextIssue[] {
  if (text.trim() === '') return []
  const ranges: JsonRanges = new Map()
  try {
    const root = parseJsonTree(text, ranges)
    return issues.map((issue) => toTextIssue(root, ranges, issue))
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    const at = Math.min(error.at, text.length - 1)
    return [{ from: at, to: at + 1, message: error.message }]
  }
}

/** Locates an issue in the text. A missing value is marked at the object or array that should contain it. */
function toTextIssue(root: Json, ranges: JsonRanges, { pointer, message }: FieldIssue): TextIssue {
  const keys = keysOf(pointer)
  let json = root
  for (const key of keys) {
    const inner = json.kind === 'array' ? json.items[Number(key)] : lastMember(json, key)
    if (inner === undefined) break
    json = inner
  }
  const [from, to] = ranges.get(json) ?? [0, 0]
  const isWide = json.kind === 'object' || json.kind === 'array'
  return { from, to: isWide ? from + 1 : to, message: `${keys.join('.') || 'input'} ${message}` }
}
