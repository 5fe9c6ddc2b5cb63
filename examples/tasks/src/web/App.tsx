/** Shows the first decision of an app: loading, signed in, or not signed in. */
import { useAuth } from '@sdk/react'
import { Mark, Shell } from './components/Shell.tsx'
import { Welcome } from './components/Welcome.tsx'

export function App() {
  const { isAuthenticated, authLoading, user } = useAuth()
  if (authLoading) return <Splash />
  return isAuthenticated ? <Shell key={user?.id} /> : <Welcome />
}

/** The same as in `index.html`, which browsers show before they have loaded any script. */
function Splash() {
  return (
    <main className="splash" aria-busy="true">
      <p>
        <Mark /> Tasks
      </p>
    </main>
  )
}
