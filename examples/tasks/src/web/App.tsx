/** Shows the three states of the app: loading, signed in, and signed out. */
import { useAuth } from '@sdk/react'
import { Mark, Shell } from './components/Shell.tsx'
import { Welcome } from './components/Welcome.tsx'

export function App() {
  const { isAuthenticated, authLoading, user } = useAuth()
  if (authLoading) return <Splash />
  return isAuthenticated ? <Shell key={user?.id} /> : <Welcome />
}

/** The same markup as in `index.html`, which browsers show before the scripts are loaded. */
function Splash() {
  return (
    <main className="splash" aria-busy="true">
      <p>
        <Mark /> Tasks
      </p>
    </main>
  )
}
