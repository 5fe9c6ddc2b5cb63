/** A row of a list. */
export interface Row {
  readonly id: number
  readonly title: string
}

/** The part of a collection that the benchmark uses. */
export interface Collection {
  preload(): Promise<void>
  subscribeChanges(listener: () => void): { unsubscribe(): void }
  cleanup(): Promise<void>
}

/** Creates collections of TanStack DB that request their rows again at an interval. */
export function createCollections(options: {
  readonly count: number
  readonly everyMs: number
  readonly queryFn: () => Promise<Row[]>
}): { readonly collections: readonly Collection[]; clear(): void }
