/** The secret used to sign tokens in the tests. */
export const SECRET = 'a secret of the tests, long enough to be one'

/** The origin that users see. */
export const ORIGIN = 'http://app.test'

/** A user with an account. */
export interface Person {
  readonly name: string
  readonly email: string
  readonly password: string
}

export const ADA: Person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse' }
export const GRACE: Person = { name: 'Grace', email: 'grace@example.com', password: 'battery staple' }
