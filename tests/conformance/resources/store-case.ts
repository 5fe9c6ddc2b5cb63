import type { StoreSource } from '@sdk/server'

/** Which fields the rows have; the schemas are in showcase.ts. */
export type Kind = 'tasks' | 'documents' | 'members'

/** Somewhere to keep rows, empty at first. */
export interface Stores {
  /** A store by the name of its table: the same name is the same rows, where rows outlive their store. */
  source(kind: Kind, name: string): Promise<StoreSource>
  close(): Promise<void>
}

/** One kind of store. */
export interface StoreCase {
  readonly store: string
  /** Do rows outlive the app? */
  readonly isLasting: boolean
  open(): Promise<Stores>
}
