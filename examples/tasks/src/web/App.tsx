import { useAPI } from '@sdk/react'
import type { ReactNode } from 'react'
import { Account } from './components/Account.tsx'
import { Chat } from './components/Chat.tsx'
import { Notes } from './components/Notes.tsx'
import { Summary } from './components/Summary.tsx'
import { Tasks } from './components/Tasks.tsx'

export function App(): ReactNode {
  const { data } = useAPI('GET /api/status')
  return (
    <>
      <header>
        <h1>Tasks</h1>
        <p className="quiet">
          {data === undefined ? 'connecting …' : `server ${data.status}, data in ${data.database}`}
        </p>
        <Account />
      </header>
      <main>
        <Tasks />
        <Notes />
        <Summary />
        <Chat />
      </main>
    </>
  )
}
