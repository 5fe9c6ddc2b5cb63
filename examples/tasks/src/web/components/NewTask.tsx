/** Shows an optimistic form: the task is in the list before the server has stored it. */
import { useState } from 'react'
import { PrioritySelect } from './PrioritySelect.tsx'

interface NewTaskProps {
  onAdd: (task: { title: string; priority: number }) => void
}

export function NewTask({ onAdd }: NewTaskProps) {
  const [title, setTitle] = useState('')
  const [priority, setPriority] = useState(2)
  return (
    <form
      className="row new-task"
      onSubmit={(event) => {
        event.preventDefault()
        onAdd({ title, priority })
        setTitle('')
      }}
    >
      <input
        aria-label="New task"
        placeholder="What needs to be done?"
        maxLength={200}
        required
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <PrioritySelect value={priority} onChange={setPriority} />
      <button type="submit">Add</button>
    </form>
  )
}
