/** Signs whatever the tests let be signed. */
export const SECRET = 'a secret of the tests, long enough to be one'

/** Where users see the app. */
export const ORIGIN = 'http://app.test'

/** Somebody with an account. */
export interface Person {
  readonly name: string
  readonly email: string
  readonly password: string
}

export const ADA: Person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
export const GRACE: Person = { name: 'Grace', email: 'grace@example.com', password: 'battery staple' }
