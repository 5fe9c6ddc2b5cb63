/** The explanation that `sdk explain` shows for a code. */
export interface ExplainPage {
  readonly means: string
  readonly why: string
  readonly fix: string
  /** An example of the error or the fix. */
  readonly example: string
}

/** Creates a page from its four sections. */
export function toExplainPage(
  ...texts: readonly [means: string, why: string, fix: string, example: string]
): ExplainPage {
  const [means, why, fix, example] = texts
  return { means, why, fix, example }
}
