import { useState, type ReactNode } from 'react'
import { Room } from './Room.tsx'

const ROOMS = ['lobby', 'ideas', 'tea']

/** Asks for a name once, then shows one room at a time. */
export function App(): ReactNode {
  const [name, setName] = useState(() => localStorage.getItem('name') ?? '')
  const [room, setRoom] = useState('lobby')
  if (name === '') return <Door onEnter={setName} />
  return (
    <div className="app">
      <nav aria-label="Rooms">
        {ROOMS.map((one) => (
          <button key={one} type="button" aria-current={one === room} onClick={() => setRoom(one)}>
            # {one}
          </button>
        ))}
      </nav>
      <Room key={room} room={room} name={name} />
    </div>
  )
}

function Door({ onEnter }: { onEnter: (name: string) => void }): ReactNode {
  const [name, setName] = useState('')
  return (
    <form
      className="door"
      onSubmit={(event) => {
        event.preventDefault()
        localStorage.setItem('name', name.trim())
        onEnter(name.trim())
      }}
    >
      <h1>Chat</h1>
      <input
        aria-label="Your name"
        placeholder="Your name"
        maxLength={40}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <button type="submit">Enter</button>
    </form>
  )
}
