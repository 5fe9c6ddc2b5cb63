/** Shows one task: completed with one click, edited in place. */
import { useState } from 'react'
import type { Task, useTasks } from '../use-tasks.ts'
import { Icon } from './Icon.tsx'
import { PRIORITIES } from './PrioritySelect.tsx'
import { TaskEditor } from './TaskEditor.tsx'

interface TaskItemProps {
  task: Task
  tasks: ReturnType<typeof useTasks>
}

export function TaskItem({ task, tasks }: TaskItemProps) {
  const [isEdited, setIsEdited] = useState(false)
  const { title, done, priority } = task
  const isSaving = task.id < 0
  if (isEdited) {
    return (
      <li>
        <TaskEditor task={task} tasks={tasks} onClose={() => setIsEdited(false)} />
      </li>
    )
  }
  return (
    <li aria-busy={isSaving}>
      <label>
        <input type="checkbox" checked={done} disabled={isSaving} onChange={() => tasks.toggle(task)} />
        <span className={done ? 'done' : ''}>{title}</span>
      </label>
      <span className="priority" data-priority={priority}>
        {isSaving ? 'Saving …' : PRIORITIES[priority]}
      </span>
      <button
        type="button"
        className="bare"
        aria-label={`Edit ${title}`}
        disabled={isSaving}
        onClick={() => setIsEdited(true)}
      >
        <Icon name="edit" />
      </button>
      <button
        type="button"
        className="bare"
        aria-label={`Delete ${title}`}
        disabled={isSaving}
        onClick={() => tasks.remove(task)}
      >
        <Icon name="remove" />
      </button>
    </li>
  )
}
