/** Shows an unfolded task: its labels and its assignee, which change with one click, and its comments. */
import { useAPI } from '@sdk/react'
import { useState } from 'react'
import { useLabels } from '../use-labels.ts'
import type { Task, useTasks } from '../use-tasks.ts'
import { Comments } from './Comments.tsx'

interface TaskDetailsProps {
  id: string
  task: Task
  tasks: ReturnType<typeof useTasks>
}

export function TaskDetails({ id, task, tasks }: TaskDetailsProps) {
  return (
    <section id={id} className="details" aria-label={`Details of ${task.title}`}>
      <TaskLabels task={task} tasks={tasks} />
      <Assignee task={task} tasks={tasks} />
      <Comments taskId={task.id} />
    </section>
  )
}

function TaskLabels({ task, tasks }: Omit<TaskDetailsProps, 'id'>) {
  const labels = useLabels(task, tasks.attempt)
  const [name, setName] = useState('')
  return (
    <form
      className="labels"
      onSubmit={(event) => {
        event.preventDefault()
        labels.add(name.trim())
        setName('')
      }}
    >
      <div role="group" aria-label="Labels">
        {labels.all.map((label) => (
          <button
            key={label.id}
            type="button"
            className="chip"
            aria-pressed={labels.has(label)}
            onClick={() => labels.toggle(label)}
          >
            {label.name}
          </button>
        ))}
      </div>
      <div className="new-label">
        <input
          aria-label="New label"
          placeholder="New label"
          maxLength={30}
          required
          pattern=".*\S.*"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <button type="submit" className="second">
          Add label
        </button>
      </div>
    </form>
  )
}

function Assignee({ task, tasks }: Omit<TaskDetailsProps, 'id'>) {
  const { data: people = [] } = useAPI('GET /api/people')
  // The assignee is always an option, even if the list does not contain them.
  const options =
    people.some(({ id }) => id === task.assigneeId) || !task.assignee ? people : [task.assignee, ...people]
  return (
    <label className="assign">
      Assigned to
      <select value={task.assigneeId ?? ''} onChange={({ target }) => tasks.assign(task, target.value || null)}>
        <option value="">Nobody</option>
        {options.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
