import type { StoreSource } from '@sdk/server'

/** The fields of the rows; the schemas are in showcase.ts. */
export type Kind = 'tasks' | 'documents' | 'members' | 'notes'

/** A source of stores, initially empty. */
export interface Stores {
  /** Returns the store of a table. The same name has the same rows if rows outlive their store. */
  source(kind: Kind, name: string): Promise<StoreSource>
  close(): Promise<void>
}

/** One kind of store. */
export interface StoreCase {
  readonly store: string
  /** Whether rows outlive the app. */
  readonly isLasting: boolean
  open(): Promise<Stores>
}
