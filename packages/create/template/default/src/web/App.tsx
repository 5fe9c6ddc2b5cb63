import { useAPI } from '@sdk/react'
import { Greeting } from './components/Greeting.tsx'

export function App() {
  const { data, isLoading } = useAPI('GET /api/status')
  return (
    <main>
      <h1>It runs</h1>
      <p className="quiet">
        {isLoading ? 'Asking the server …' : `The server is ${data?.status ?? 'away'}.`} Change a file in{' '}
        <code>src</code> and look here again.
      </p>
      <Greeting />
    </main>
  )
}
