/** The content of the page at one moment; empty if there is none. */
export interface Sight {
  /** The email address of the signed-in user, `nobody`, or `loading`. */
  readonly user: string
  /** The error of the last sign-in. */
  readonly problem: string
  /** The response of a protected route, or its error code. */
  readonly secret: string
  /** A protected list, which is only shown to signed-in users. */
  readonly notes: string
  /** The user of the socket, as the server sees it. */
  readonly socket: string
}

/** The configuration of a page. */
export interface Setup {
  /** The server, if it is not the origin of the page. */
  readonly baseUrl?: string
  readonly persist?: 'session'
  /** Whether it has its own auth client, for an account page. */
  readonly hasAccount?: boolean
}

/** The user that signs up and in. */
export interface Account {
  readonly name: string
  readonly email: string
  readonly password: string
}

/** The result of a call: null on success. */
export interface Failure {
  readonly code: string
  readonly status: number
  readonly message: string
}

/** The functions that the page exposes to tests, as `window.auth`. */
export interface AuthPage {
  signUp(account: Account): Promise<Failure | null>
  signIn(account: Account): Promise<Failure | null>
  signOut(): Promise<Failure | null>
  see(): Sight
  /** Everything that the page has shown since it was loaded. */
  history(): Sight[]
  /** The contents of the cache of queries and calls. */
  cache(): string
  /** The close codes of all sockets. */
  closes(): number[]
  /** The functions of an account page. */
  changePassword(options: { currentPassword: string; newPassword: string }): Promise<Failure | null>
  /** Ends all sessions of the user except the newest. */
  revokeOlder(): Promise<Failure | null>
}

declare global {
  interface Window {
    readonly auth: AuthPage
  }
}

/** The page: React in StrictMode, the signed-in user, and the data that the user may see. */
export const PAGE = `
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createAuthClient } from '@sdk/auth/client'
import { AuthProvider, SdkProvider, useAPI, useAuth, useSdk, useWebsocket } from '@sdk/react'

const element = document.getElementById('root')
const { baseUrl, persist, hasAccount } = JSON.parse(element.dataset.setup)
const account = hasAccount ? createAuthClient({ baseUrl, persist }) : undefined

const history = []
const see = () =>
  Object.fromEntries(['user', 'problem', 'secret', 'notes', 'socket'].map((id) => [id, document.getElementById(id)?.textContent ?? '']))
new MutationObserver(() => history.push(see())).observe(element, { childList: true, characterData: true, subtree: true })

const closes = []
window.WebSocket = class extends WebSocket {
  constructor(...all) {
    super(...all)
    this.addEventListener('close', ({ code }) => closes.push(code))
  }
}

function App() {
  const auth = useAuth()
  const { queryClient } = useSdk()
  const secret = useAPI('GET /api/secret')
  const socket = useWebsocket('/ws/whoami')
  const { signUp, signIn, signOut } = auth
  Object.assign(window.auth, {
    signUp: (it) => outcome(signUp(it)),
    signIn: ({ email, password }) => outcome(signIn({ email, password })),
    signOut: () => outcome(signOut()),
    cache: () => JSON.stringify([queryClient.getQueryCache(), queryClient.getMutationCache()].map((cache) => cache.getAll().map(({ queryKey, state }) => ({ queryKey, state })))),
  })
  return (
    <>
      <p id="user">{auth.authLoading ? 'loading' : (auth.user?.email ?? 'nobody')}</p>
      <p id="problem">{auth.error?.code}</p>
      <p id="secret">{secret.data ?? secret.error?.code}</p>
      {auth.isAuthenticated && <Notes />}
      <p id="socket">{socket.isConnected && socket.data}</p>
    </>
  )
}

function Notes() {
  const { data = [] } = useAPI('GET /api/notes')
  return (
    <ul id="notes">
      {data.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  )
}

const outcome = (promise) =>
  promise.then(
    () => null,
    ({ code, status, message }) => ({ code, status, message }),
  )

window.auth = {
  see,
  history: () => history,
  closes: () => closes,
  changePassword: (options) => outcome(account.changePassword(options)),
  async revokeOlder() {
    const sessions = (await account.sessions()).toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
    for (const { id } of sessions.slice(1)) await account.revokeSession(id)
    return null
  },
}

createRoot(element).render(
  <StrictMode>
    <AuthProvider source={account} baseUrl={baseUrl} persist={persist}>
      <SdkProvider baseUrl={baseUrl}>
        <App />
      </SdkProvider>
    </AuthProvider>
  </StrictMode>,
)
`

/** A page with the library's own client, as its users write it. */
export const LIBRARY_PAGE = `
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createAuthClient } from 'better-auth/react'

const client = createAuthClient()
window.client = client

function App() {
  const { data, isPending, error } = client.useSession()
  return (
    <>
      <p id="user">{isPending ? 'loading' : (data?.user.email ?? 'nobody')}</p>
      <p id="problem">{error?.status}</p>
    </>
  )
}

createRoot(document.getElementById('root')).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
`
