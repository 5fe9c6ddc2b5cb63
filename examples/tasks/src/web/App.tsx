/** Shows the first decision of an app: loading, signed in, or not signed in. */
import { useAuth } from '@sdk/react'
import { Shell } from './components/Shell.tsx'
import { Welcome } from './components/Welcome.tsx'

export function App() {
  const { isAuthenticated, authLoading, user } = useAuth()
  if (authLoading) return <main className="splash" aria-busy="true" aria-label="Tasks" />
  return isAuthenticated ? <Shell key={user?.id} /> : <Welcome />
}
