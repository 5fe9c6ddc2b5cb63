/** The text of `sdk explain` about a code. */
export interface ExplainPage {
  readonly means: string
  readonly why: string
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
