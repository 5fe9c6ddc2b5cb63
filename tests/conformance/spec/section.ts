import type { GuardedApp } from './guarded-app.ts'
import type { PublicApp } from './public-app.ts'

/** What the tests of a section ask; running by the time a test begins. */
export interface Apps {
  readonly open: PublicApp
  readonly guarded: GuardedApp
}

/** A section of the specification, by its number there. */
export interface Section {
  readonly number: string
  readonly title: string
  /** Registers its tests, each named by the section, and where the specification counts its sentences, by the sentence. */
  readonly tests: (apps: Apps) => void
}
