/** The parts of a JSDoc comment. */
export interface DocComment {
  readonly text: string
  readonly default: string | null
  readonly examples: readonly string[]
}

/** A missing comment. */
export const NO_COMMENT: DocComment = { text: '', default: null, examples: [] }

/** Parses a JSDoc comment: the text, `@default` and each `@example`, which may be on the same line. */
export function parseDocComment(comment: string): DocComment {
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\*? ?/, '').trimEnd())
  const [text = '', ...tags] = lines
    .join('\n')
    .replace(/^\*\s*/, '')
    .split(/(?:^|\s)@(?=(?:default|example)\b)/)
  const valuesOf = (tag: string): string[] =>
    tags
      .filter((part) => part.startsWith(tag))
      .map((part) =>
        part
          .slice(tag.length)
          .replace(/^[^\S\n]*\n?/, '')
          .trimEnd(),
      )
  return {
    text: toParagraph(text),
    default: valuesOf('default').map(toParagraph)[0] ?? null,
    examples: valuesOf('example').map((example) => example.replace(/^ /, '')),
  }
}

function toParagraph(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ')
}
