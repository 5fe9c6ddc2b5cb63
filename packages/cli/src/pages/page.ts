/** The text of `sdk explain` about a code. */
export interface ExplainPage {
  /** The meaning. */
  readonly means: string
  /** Why it happens. */
  readonly why: string
  /** The fix. */
  readonly fix: string
  /** How it looks, or what helps. */
  readonly example: string
}

/** Makes a page of its four texts. */
export function toExplainPage(
  ...texts: readonly [means: string, why: string, fix: string, example: string]
): ExplainPage {
  const [means, why, fix, example] = texts
  return { means, why, fix, example }
}
