import { useAPI } from '@sdk/react'
import { useState, type ReactNode } from 'react'

/** A list by GET, and a form that adds to it by POST. */
export function Tasks(): ReactNode {
  const [title, setTitle] = useState('')
  const tasks = useAPI('GET /api/tasks')
  const add = useAPI('POST /api/tasks', {
    onSuccess() {
      setTitle('')
      void tasks.refetch()
    },
  })

  return (
    <section aria-labelledby="tasks">
      <h2 id="tasks">To do</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void add.invoke({ title })
        }}
      >
        <input
          aria-label="New task"
          placeholder="What is next?"
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <button type="submit" disabled={add.isLoading}>
          Add
        </button>
      </form>
      {add.isError && <p role="alert">{add.error?.message}</p>}
      {tasks.isLoading && <p className="quiet">loading …</p>}
      <ul>
        {tasks.data?.data.map((task) => (
          <li key={task.id}>
            {task.title} {task.author !== null && <small className="quiet">by {task.author}</small>}
          </li>
        ))}
      </ul>
    </section>
  )
}
