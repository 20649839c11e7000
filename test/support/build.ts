// Builds the program once before the end-to-end tests, so that they run what a user runs.
import { execaSync } from 'execa';

export default function build(): void {
  execaSync('npm', ['run', 'build', '--silent'], { stdio: 'inherit' });
}
