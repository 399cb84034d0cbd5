# The doors of the project. `make demo` shows what it does, `make test` proves it.
# Every target sets up what it needs by itself (tools/setup).

BUILD := build
CONFORMANCE ?= ../shared/conformance/run.py
# What the shared conformance cases may need and this version does not build.
NOT_BUILT := python,feed,dml,iceberg,upkeep
MODES := as-is,one,each,shuffled
CTEST := ctest --output-on-failure --no-tests=error

.PHONY: demo build everything check test soak-laws asan tsan conformance judges bench tidy format \
        format-check lint clean

# Runs the two example projects offline and shows their tables.
demo: build
	tools/demo

# The program: build/lakebed.
build: $(BUILD)/build.ninja
	@tools/setup
	cmake --build $(BUILD) --target lakebed

$(BUILD)/build.ninja: CMakeLists.txt CMakePresets.json
	@tools/setup
	cmake --preset release

# The program and all tests.
everything: $(BUILD)/build.ninja
	@tools/setup
	cmake --build $(BUILD)

# The fast ring, below two minutes after a build: rooms, few random histories, scenarios, tidy.
check: everything
	LAKEBED_HISTORIES=$${LAKEBED_HISTORIES:-300} $(CTEST) --test-dir $(BUILD) -L fast -j 2

# Everything that can be shown without a JVM, below fifteen minutes on two cores.
test: everything
	tools/setup_python
	$(CTEST) --test-dir $(BUILD) -j 2

# Random histories through the whole program, other ones each time, until stopped.
soak-laws: build
	tests/laws/laws.py --lakebed $(BUILD)/lakebed --forever --keep-going

# The fast ring under the address and undefined behaviour sanitizers, and under the thread one.
asan tsan:
	@tools/setup
	cmake --preset $@
	cmake --build build-$@
	LAKEBED_HISTORIES=$${LAKEBED_HISTORIES:-100} $(CTEST) --test-dir build-$@ -L fast -E tidy -j 2

# The shared cases, in every cut and order; another opinion than our own scenarios.
conformance: build
	python3 $(CONFORMANCE) --lakebed $(BUILD)/lakebed --without $(NOT_BUILT) --modes $(MODES) \
	  --jobs 2

# Our tables before a real Spark (sets up a JDK, Maven and Spark by itself).
judges: build
	tools/setup_python
	tools/setup_spark
	build/venv/bin/python tests/judges/readers.py --lakebed $(BUILD)/lakebed --projects 6
	build/spark/venv/bin/python tests/judges/spark.py --lakebed $(BUILD)/lakebed

# Whole batches, ours and the peers', interleaved; prints one table of ratios.
bench: build
	tools/setup_python
	bench/run

tidy:
	python3 tools/tidy

# What clang-format would change, in place; and the same as a question.
format format-check:
	@tools/setup --lint
	git ls-files -z '*.h' '*.cpp' | xargs -0 clang-format-19 \
	  $(if $(filter format-check,$@),--dry-run --Werror,-i)

lint: $(BUILD)/build.ninja
	@tools/setup --lint
	git ls-files -z 'src/*.cpp' | xargs -0 -P 2 -n 4 clang-tidy-19 -p $(BUILD) --quiet

# Keeps build/deps and build/venv, which were fetched.
clean:
	cmake --build $(BUILD) --target clean
