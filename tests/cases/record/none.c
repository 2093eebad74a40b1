/* A program without timers. For record.sh, linked statically. */
int main(void) {
    return 5;
}
