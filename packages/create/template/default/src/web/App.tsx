import { useAPI, useAuth } from '@sdk/react'
import { Chat } from './components/Chat.tsx'
import { DevLinks } from './components/DevLinks.tsx'
import { Notes } from './components/Notes.tsx'
import { Plan } from './components/Plan.tsx'

export function App() {
  return (
    <div className="starter">
      <header>
        <Status />
        <Account />
      </header>
      <main>
        <h1>Your app is running</h1>
        <p className="lead">
          An agent, an API, a socket and sign-in, all on one port. Edit a file in <code>src</code>, and this page
          updates.
        </p>
        <DevLinks />
        <div className="cards">
          <Plan />
          <Notes />
          <Chat />
        </div>
      </main>
    </div>
  )
}

function Status() {
  const { data, isError } = useAPI('GET /api/status')
  if (isError) return <p className="quiet">The server cannot be reached.</p>
  return (
    <p className="quiet">{data === undefined ? 'Connecting …' : `Server ${data.status}, data in ${data.database}`}</p>
  )
}

function Account() {
  const { isAuthenticated, user, signOut } = useAuth()
  if (!isAuthenticated) return null
  return (
    <p>
      Signed in as <strong>{user?.name}</strong>{' '}
      <button type="button" className="plain" onClick={() => void signOut()}>
        Sign out
      </button>
    </p>
  )
}
