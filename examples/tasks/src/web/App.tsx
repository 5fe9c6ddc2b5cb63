/** Shows the fork at the top of an app: nobody knows yet, somebody is signed in, or nobody is. */
import { useAuth } from '@sdk/react'
import { Shell } from './components/Shell.tsx'
import { Welcome } from './components/Welcome.tsx'

export function App() {
  const { isAuthenticated, authLoading, user } = useAuth()
  if (authLoading) return <main className="splash" aria-busy="true" aria-label="Tasks" />
  return isAuthenticated ? <Shell key={user?.id} /> : <Welcome />
}
