/** A registry with auth routes, which registry.test.ts compiles as a separate program. */
import type { HasTypes } from '@sdk/protocol'
import { useAuth } from './use-auth.ts'

interface Account {
  readonly name: string
  readonly email: string
  readonly password: string
  readonly birthday: string
}

declare module '@sdk/protocol' {
  interface Routes {
    'POST /api/auth/*': HasTypes<{
      input: { readonly '~signUp'?: Account } | undefined
      output: unknown
      stream: false
      query: unknown
    }>
  }
}

export function SignUp(): void {
  const { signUp } = useAuth()
  const account = { name: 'Ada', email: 'ada@example.com', password: 'secret password' }
  void signUp({ ...account, birthday: '1815-12-10' })
  // @ts-expect-error -- birthday is missing
  void signUp(account)
  // @ts-expect-error -- users cannot set the role
  void signUp({ ...account, birthday: '1815-12-10', role: 'admin' })
}
