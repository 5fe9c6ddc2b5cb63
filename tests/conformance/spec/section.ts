import type { GuardedApp } from './guarded-app.ts'
import type { PublicApp } from './public-app.ts'

/** The apps of the tests, running when a test starts. */
export interface Apps {
  readonly open: PublicApp
  readonly guarded: GuardedApp
}

/** A section of the specification, by number. */
export interface Section {
  readonly number: string
  readonly title: string
  /**
   * Registers its tests, each named by the section and, if the specification numbers its sentences, by the sentence.
   */
  readonly tests: (apps: Apps) => void
}
