/** What `sdk explain` prints about a code. */
export interface ExplainPage {
  /** What it means. */
  readonly means: string
  /** Why it happens. */
  readonly why: string
  /** What to do. */
  readonly fix: string
  /** How it looks, or what helps. */
  readonly example: string
}
