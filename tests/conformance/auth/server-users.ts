import type { AuthUser } from '@sdk/auth'
import { ApiError } from '@sdk/protocol'
import { expect } from 'vitest'
import type { RawResponse } from '../http/wire.ts'
import { bodyOf, type Subject } from './subject.ts'

export const PASSWORD = 'a password from the server'

/** Helpers for tests that manage users from the server. */
export interface ServerUsers {
  newEmail(): string
  /** Creates a user with a new address and `PASSWORD`, unless given otherwise. */
  create(more?: object): Promise<AuthUser>
  signIn(email: string, password?: string): Promise<RawResponse>
  accountsOf(userId: string): Promise<{ password: string | null }[]>
  /** Returns the error of an auth route. */
  refused(path: string, body: object): Promise<unknown>
  /** Returns the token of the password reset link that is sent to an address. */
  requestReset(email: string): Promise<string | undefined>
}

/** Creates the helpers for an app. */
export function createServerUsers(subject: Subject): ServerUsers {
  let count = 0
  const newEmail = (): string => `user${++count}@example.com`
  return {
    newEmail,
    create: (more = {}) => subject.auth.users.create({ name: 'Joan', email: newEmail(), password: PASSWORD, ...more }),
    signIn: (email, password = PASSWORD) => subject.post('/sign-in/email', { email, password }),
    accountsOf: (userId) => subject.opened.query('select * from account where "userId" = $1', [userId]),
    async refused(path, body) {
      const response = await subject.post(path, body)
      const { error } = bodyOf(response) as { error: unknown }
      return { status: response.status, error }
    },
    async requestReset(email) {
      await subject.post('/request-password-reset', { email })
      const findMail = () => subject.mails.find(({ to }) => to === email)
      await expect.poll(findMail).toBeDefined()
      return findMail()?.token
    },
  }
}

/** Returns the error of a call as a client would see it. */
export async function refusal(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(ApiError)
  const { status, code, message, details } = error as ApiError
  return { status, error: { code, message, details } }
}

/** Returns the cookie that `Set-Cookie` lines set, as a browser sends it. */
export function toCookie(lines: readonly string[]): string {
  return lines.map((line) => line.split(';', 1)[0]).join('; ')
}
